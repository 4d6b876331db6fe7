/** vite.config.ts generates this module from the files in public/scenarios. */
declare module 'virtual:scenarios' {
  const list: readonly { id: string; title: string; description: string; paper: string; source: string }[];
  export default list;
}

declare module '*?raw' {
  const text: string;
  export default text;
}

/** Made by vite.config.ts from the files in public/scenarios. */
declare module 'virtual:scenarios' {
  const list: readonly import('./papers.js').Listed[];
  export default list;
}

declare module '*?raw' {
  const text: string;
  export default text;
}

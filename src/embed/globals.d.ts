/** Inserted when the element's script is bundled: the shipped scenarios and those of the lessons, by id. */
declare module 'ccscope:scenarios' {
  const scenarios: Readonly<Record<string, unknown>>;
  export default scenarios;
}
/** The style of everything in the element. */
declare module 'ccscope:view.css' {
  const text: string;
  export default text;
}

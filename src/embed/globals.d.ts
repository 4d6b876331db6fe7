/**
 * The shipped scenarios and the scenarios of the lessons, by id. They are inserted when the element's script is
 * bundled.
 */
declare module 'ccscope:scenarios' {
  const scenarios: Readonly<Record<string, unknown>>;
  export default scenarios;
}
/** The style of everything in the element. */
declare module 'ccscope:view.css' {
  const text: string;
  export default text;
}

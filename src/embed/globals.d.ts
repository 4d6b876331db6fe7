/**
 * The shipped scenarios and the scenarios of the lessons, by id. They are in a separate file beside the
 * element's script, which imports this file when it is first needed.
 */
declare module 'ccscope:scenarios' {
  const scenarios: Readonly<Record<string, unknown>>;
  export default scenarios;
}
/** The style of everything in the element. The bundler inserts it into the script. */
declare module 'ccscope:view.css' {
  const text: string;
  export default text;
}

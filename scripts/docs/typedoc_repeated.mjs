// A plugin of TypeDoc that drops wrong warnings about multiple comments. A type that is derived from a valibot schema
// repeats the declarations of the schema's fields. So TypeDoc finds one comment of a field several times, and warns.
// The plugin keeps the warning only if the comments are in different places.
const REPEATED = ' has multiple declarations with a comment.';

/** TypeDoc first logs the warning. Then it logs the places of the comments as information, one per line. */
export function load({ logger }) {
  const { warn, info } = logger;
  let held = null;
  logger.warn = (text, ...place) => {
    if (text.includes(REPEATED)) held = [text, ...place];
    else warn.call(logger, text, ...place);
  };
  logger.info = (text, ...place) => {
    const [, ...places] = text.split('\n');
    if (held !== null && new Set(places).size > 1) {
      warn.call(logger, ...held);
      info.call(logger, text, ...place);
    } else if (held === null) info.call(logger, text, ...place);
    held = null;
  };
}

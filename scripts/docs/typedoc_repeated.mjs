// A plugin of TypeDoc. The type of a form (valibot) repeats the declarations of its fields, so TypeDoc finds one comment
// several times and warns of several: this keeps the warning for those that differ.
const REPEATED = ' has multiple declarations with a comment.';

/** TypeDoc warns first, and then informs of the places, one a line. */
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

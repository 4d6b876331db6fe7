/** Standard error without the lines of progress, whose number depends on the machine's speed. */
export const withoutProgress = (stderr: string): string => stderr.replace(/^\d+ %(  .*)?\n/gm, '');

/** The prefix of all annotations of the kit; Playwright's JUnit reporter turns them into properties. */
export const PROPERTY = 'ccscope.';

/** The prefix of all annotations of ccscope; Playwright's JUnit reporter turns them into properties. */
export const PROPERTY = 'ccscope.';

/** The prefix of all ccscope annotations. Playwright's JUnit reporter turns them into properties. */
export const PROPERTY = 'ccscope.';

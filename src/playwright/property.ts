/** Before the names of all annotations of the kit; Playwright's JUnit reporter makes properties of them. */
export const PROPERTY = 'ccscope.';

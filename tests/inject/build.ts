/** Builds the injected script before the tests that run it in pages. */
import { build } from '../../scripts/build.mjs';

export default (): Promise<void> => build({ app: false });

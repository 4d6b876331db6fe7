/** Before the tests of the extension: it is up to date. */
import { buildExtension } from '../../scripts/build_extension.mjs';

export default (): Promise<void> => buildExtension();

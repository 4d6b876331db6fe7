/** Builds the extension before its tests. */
import { buildExtension } from '../../scripts/build_extension.mjs';

export default (): Promise<void> => buildExtension();

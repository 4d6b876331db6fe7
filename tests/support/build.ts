/** Builds the library and the app before browser tests. */
import { build } from '../../scripts/build.mjs';

export default (): Promise<void> => build();

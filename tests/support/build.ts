/** Before browser tests: the library and the app that they run are up to date. */
import { build } from '../../scripts/build.mjs';

export default (): Promise<void> => build();

/** Before tests in pages of others: the script that they run is up to date. */
import { build } from '../../scripts/build.mjs';

export default (): Promise<void> => build({ app: false });

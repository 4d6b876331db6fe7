/** The default theme, without fonts to download. */
import theme from 'vitepress/theme-without-fonts';

import './style.css';

export default theme;

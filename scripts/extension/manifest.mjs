// The extension's manifest for each browser. Sources: developer.chrome.com/docs/extensions/reference/manifest and
// MDN's manifest.json.

export const BROWSERS = ['chrome', 'firefox'];
export const ICON_SIZES = [16, 32, 48, 128];

const icons = Object.fromEntries(ICON_SIZES.map((size) => [size, `icons/${size}.png`]));

/**
 * Since default-src is 'none' and there is no connect-src, the extension's pages cannot send data anywhere.
 * form-action is needed because default-src does not cover forms. The pages need not load the core: it is inside
 * their scripts.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'none'",
].join('; ');

/** The manifest for `chrome` or `firefox`. */
export function manifestFor(browser, version) {
  const common = {
    manifest_version: 3,
    name: 'ccscope',
    version,
    description: "What the congestion control of a page's WebRTC calls does, and why.",
    icons,
    action: { default_icon: icons, default_title: 'Show the congestion control of this page’s calls' },
    // Permits the extension to run scripts in a page after the user has clicked the extension's button there. Access
    // to other pages is requested site by site.
    permissions: ['activeTab', 'scripting'],
    optional_host_permissions: ['https://*/*', 'http://*/*'],
    content_security_policy: { extension_pages: policy },
    devtools_page: 'devtools.html',
    options_ui: { page: 'sites.html', open_in_tab: true },
  };
  if (browser === 'chrome')
    return {
      ...common,
      permissions: [...common.permissions, 'sidePanel'],
      background: { service_worker: 'background.js' },
      // The first version that supports matchOriginAsFallback for registered content scripts.
      minimum_chrome_version: '119',
    };
  return {
    ...common,
    background: { scripts: ['background.js'] },
    sidebar_action: {
      default_panel: 'panel.html',
      default_title: 'ccscope',
      default_icon: icons,
      open_at_install: false,
    },
    browser_specific_settings: {
      gecko: {
        id: 'extension@ccscope',
        // The first version that supports data_collection_permissions. Content scripts in the page's own world have
        // existed since version 128.
        strict_min_version: '140.0',
        data_collection_permissions: { required: ['none'] },
      },
    },
  };
}

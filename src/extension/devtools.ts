/** The extension's hidden page in DevTools. It only adds a panel. */
chrome.devtools.panels.create('ccscope', 'icons/32.png', 'panel.html', () => undefined);

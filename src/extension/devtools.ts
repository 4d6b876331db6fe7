/** The page behind DevTools, which only adds a panel. */
chrome.devtools.panels.create('ccscope', 'icons/32.png', 'panel.html', () => undefined);

/** The page behind DevTools: it has nothing but a panel to add. */
chrome.devtools.panels.create('ccscope', 'icons/32.png', 'panel.html', () => undefined);

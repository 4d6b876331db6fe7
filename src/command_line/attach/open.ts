/** Opens an address for the user. */

/** Whether there is a desktop on which a browser could be opened. */
function canOpen(): boolean {
  const { CI, DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME } = process.env;
  if (CI !== undefined && CI !== '') return false;
  return process.platform !== 'linux' || Boolean(DISPLAY ?? WAYLAND_DISPLAY ?? WSL_DISTRO_NAME);
}

/** Opens an address in the user's default browser. Returns false if no browser could be opened. */
export async function openInBrowser(url: string): Promise<boolean> {
  if (!canOpen()) return false;
  try {
    const { default: open } = await import('open');
    await open(url);
    return true;
  } catch {
    return false;
  }
}

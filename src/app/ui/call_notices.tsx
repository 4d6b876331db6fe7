import { supported } from '../../rtc/index.js';
import { MACHINE_CODE } from '../../rtc/machine_monitor.js';
import { notices } from '../notices.js';
import type { Session } from '../session/session.js';
import { problems } from '../settings.js';
import { NoticesList, type Shown } from './notices_list.js';

/**
 * Notices about the browser, the address, the call and the page, over the lower edge of the page. The notice about a
 * busy machine is not among them: it may come and go during a call, so it is a mark in the header.
 */
export function Notices({ session }: { session: Session }) {
  const { message } = supported();
  const browser: Shown[] = message ? [{ level: 'warning', code: 'browser', message, fix: '' }] : [];
  const isIdle = session.phase.value === 'idle' || session.phase.value === 'failed';
  const own = notices.value.filter(({ whenIdle }) => isIdle || whenIdle !== true);
  const ofCall = session.status.value?.notices.filter(({ code }) => code !== MACHINE_CODE) ?? [];
  const shown = [...browser, ...ofCall, ...own];
  return <NoticesList problems={problems.value} notices={shown} isOver />;
}

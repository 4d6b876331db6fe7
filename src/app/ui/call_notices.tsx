import { supported } from '../../rtc/index.js';
import { MACHINE_CODE } from '../../rtc/machine_monitor.js';
import { notices } from '../notices.js';
import type { Session } from '../session/session.js';
import { problems } from '../settings.js';
import { NoticesList, type Shown } from './notices_list.js';

/**
 * Everything that the user should know about the browser, the address, the call and the page, over the lower edge of
 * the page. A busy machine comes and goes during a call: it is shown as a mark in the header, never over the charts.
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

/** Tells the user that the charts do not show a change of the link, because they are paused. */
import { effect } from '@preact/signals';

import type { Scope } from '../../boards/scope.js';
import { linkOfUrl } from '../../link/url.js';
import { dismiss, notify } from '../notices.js';
import { settings } from '../settings.js';
import type { Session } from './session.js';

const CODE = 'charts-paused';

export function watchPausedCharts(session: Session, scope: Scope): void {
  let before = JSON.stringify(linkOfUrl(settings.peek()));
  effect(() => {
    const link = JSON.stringify(linkOfUrl(settings.value));
    const isChanged = link !== before;
    before = link;
    if (scope.following.value || session.phase.value !== 'connected') return dismiss(CODE);
    if (!isChanged) return;
    const what = 'The charts are paused, so they do not show what you have changed.';
    const actions = [{ label: 'Follow', run: () => scope.axis.follow() }];
    notify('info', CODE, what, 'Press Follow to see the change.', { actions });
  });
}

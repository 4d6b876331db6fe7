/** The lessons page: the list, a lesson, or the page for teachers. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { Scope } from '../../../boards/scope.js';
import { messageOf, notices, notify } from '../../notices.js';
import { NoticesList } from '../../ui/notices_list.js';
import { PageHeader } from '../../ui/page_header.js';
import type { Lesson } from '../lesson.js';
import { LESSONS, TEACHERS } from '../lessons.js';
import type { Player } from '../player.js';
import { change, problems, settings } from '../settings.js';
import { LessonList } from './lesson_list.js';
import { LessonPage } from './lesson_page.js';
import { LessonLink } from './lesson_link.js';
import { TeachersPage } from './teachers_page.js';

interface Parts {
  player: Player;
  scope: Scope;
}

/** Fetches a lesson, and shows it. */
function OneLesson({ player, scope, id }: Parts & { id: string }) {
  const lesson = useSignal<Lesson | null>(null);
  useEffect(() => {
    let isWanted = true;
    lesson.value = null;
    player.reset();
    const listed = LESSONS.find((each) => each.id === id);
    Promise.resolve(listed?.load()).then(
      (module) => {
        if (isWanted) lesson.value = module?.default ?? null;
      },
      (error: unknown) => {
        if (!isWanted) return;
        const what = `The lesson could not be fetched: ${messageOf(error)}.`;
        notify('error', 'lesson', what, 'Check the connection, and reload the page.');
      },
    );
    return () => (isWanted = false);
  }, [id]);
  return lesson.value?.id === id ? (
    <LessonPage key={id} lesson={lesson.value} player={player} scope={scope} />
  ) : (
    <p role="status">Loading…</p>
  );
}

export function LessonsApp({ player, scope }: Parts) {
  const { lesson, theme } = settings.value;
  return (
    <div class="page">
      <PageHeader
        page="lessons"
        theme={theme}
        onTheme={(next) => change({ theme: next })}
        action={lesson === TEACHERS ? null : <LessonLink to={TEACHERS}>For teachers</LessonLink>}
      >
        {lesson !== '' && <LessonLink to="">All lessons</LessonLink>}
      </PageHeader>
      <NoticesList problems={problems.value} notices={notices.value} />
      <main class="lessons">
        {lesson === '' && <LessonList />}
        {lesson === TEACHERS && <TeachersPage />}
        {lesson !== '' && lesson !== TEACHERS && <OneLesson player={player} scope={scope} id={lesson} />}
      </main>
    </div>
  );
}

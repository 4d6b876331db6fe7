/** The controls of playback: play and pause, steps, a slider for the moment, and the speed. */
import { useId } from 'preact/hooks';

import { SPEEDS, type Playback } from '../playback/playback.js';

interface PlaybackBarProps {
  playback: Playback;
  durationUs: number;
  /** Whether packets and equations are shown, and the function that changes that. */
  isInside: boolean;
  onInside: (shown: boolean) => void;
}

const STEPS = [
  { step: 'event', text: 'packet', about: 'the next thing that happens to a packet' },
  { step: 'frame', text: 'decision', about: 'the next decision of the controller' },
  { step: 'time', text: '100 ms', about: '100 ms' },
] as const;

const speedText = (speed: number): string => `${speed} ×`;

export function PlaybackBar({ playback, durationUs, isInside, onInside }: PlaybackBarProps) {
  const id = useId();
  const { timeUs, isPlaying, speed } = playback;
  const seconds = (timeUs.value / 1e6).toFixed(3);
  return (
    <div class="toolbar playback" role="toolbar" aria-label="Playback">
      <button
        type="button"
        aria-pressed={isPlaying.value}
        onClick={() => {
          onInside(true);
          playback.toggle();
        }}
      >
        {isPlaying.value ? '❚❚ Pause' : '▶ Play'}
      </button>
      {STEPS.map(({ step, text, about }) => (
        <span key={step} class="steps">
          <button
            type="button"
            aria-label={`Back by one step: ${about}`}
            title={`Back: ${about}`}
            onClick={() => void playback.step(step, true)}
          >
            ‹
          </button>
          <span aria-hidden="true">{text}</span>
          <button
            type="button"
            aria-label={`On by one step: ${about}`}
            title={`On: ${about}`}
            onClick={() => void playback.step(step)}
          >
            ›
          </button>
        </span>
      ))}
      <input
        type="range"
        class="scrub"
        aria-label="Moment"
        aria-valuetext={`${seconds} s`}
        min={0}
        max={durationUs}
        step={1000}
        value={timeUs.value}
        onInput={({ currentTarget }) => playback.seek(Number(currentTarget.value))}
      />
      <span class="reading">{seconds} s</span>
      <label for={id} class="visually-hidden">
        Speed
      </label>
      <select
        id={id}
        title="Virtual seconds per second"
        value={String(speed.value)}
        onChange={({ currentTarget }) => (speed.value = Number(currentTarget.value))}
      >
        {SPEEDS.map((each) => (
          <option key={each} value={String(each)} selected={each === speed.value}>
            {speedText(each)}
          </option>
        ))}
      </select>
      <button type="button" aria-pressed={isInside} onClick={() => onInside(!isInside)}>
        Packets and equations
      </button>
    </div>
  );
}

/** A voice made of two tones, whose loudness varies as in speech, so that Opus has something to encode. */

export interface SyntheticVoice {
  readonly track: MediaStreamTrack;
  stop(): void;
}

const TONES_HZ = [220, 660];
/** Syllables per second. */
const SYLLABLES_HZ = 4;
const LOUDNESS = 0.2;

/**
 * Starts the voice. Browsers do not let a page play sound before the first user interaction, so the voice may be
 * silent until the first key or button press. Throws if the browser has no Web Audio.
 */
export function createSyntheticVoice(): SyntheticVoice {
  const context = new AudioContext();
  const out = context.createMediaStreamDestination();
  const loudness = new GainNode(context, { gain: LOUDNESS / 2 });
  const depth = new GainNode(context, { gain: LOUDNESS / 2 });
  const syllables = new OscillatorNode(context, { frequency: SYLLABLES_HZ });
  const tones = TONES_HZ.map((frequency) => new OscillatorNode(context, { frequency, type: 'sawtooth' }));
  syllables.connect(depth).connect(loudness.gain);
  for (const tone of tones) tone.connect(loudness);
  loudness.connect(out);
  for (const source of [syllables, ...tones]) source.start();
  const [track] = out.stream.getAudioTracks();
  if (track === undefined) throw new Error('this browser cannot make an audio track; call without audio');
  const wake = (): void => void context.resume().catch(() => undefined);
  const gestures = ['pointerdown', 'keydown'] as const;
  for (const gesture of gestures) addEventListener(gesture, wake);
  wake();
  const stop = (): void => {
    for (const gesture of gestures) removeEventListener(gesture, wake);
    track.stop();
    void context.close();
  };
  return { track, stop };
}

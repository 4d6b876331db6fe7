/** What a media worker and its guest workers say to each other, over a port of their own. */
import type { HalfOptions } from '../../core/user_controller.js';
import type { Question, UsableAnswer } from '../../core/user_answers.js';

/** The first message, on the worker itself. */
export interface GuestSetup {
  /** A JavaScript module whose default export is a UserController, or a WebAssembly module. */
  url: string;
  /** For modules that name no controller themselves. */
  name: string;
  half: 'receiver' | 'sender';
  options: HalfOptions;
  memoryLimitBytes: number;
  port: MessagePort;
}

/** Each question gets one answer, in order. */
export type GuestQuestion = Question;

export type GuestMessage =
  | { kind: 'ready' }
  /** The module could not be loaded, or is no controller. */
  | { kind: 'refused'; message: string }
  | { kind: 'answer'; answer: UsableAnswer }
  /** The half did something wrong; nothing more will come. */
  | { kind: 'fault'; message: string };

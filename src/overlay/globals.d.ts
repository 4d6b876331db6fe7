/** The core's controllers, inserted when the script is bundled. */
declare module 'ccscope:controllers.wasm' {
  /** The module's bytes in Base64. */
  const base64: string;
  export default base64;
}
declare module 'ccscope:controllers.js' {
  const instantiate: (imports: Readonly<Record<string, unknown>>) => WebAssembly.Exports;
  export default instantiate;
}
declare module 'ccscope:style.css' {
  const text: string;
  export default text;
}
/** The whole script, as the text of a function: the script's worker runs it, too. */
declare const CCSCOPE_SOURCE: string;
/** The frame worker's script. */
declare const FRAME_WORKER_SOURCE: string;
/** Exists in workers; TypeScript only declares it in the library for workers. */
interface FileSystemSyncAccessHandle {
  truncate(size: number): void;
  write(bytes: Uint8Array<ArrayBuffer>, options?: { at?: number }): number;
  close(): void;
}
interface FileSystemFileHandle {
  createSyncAccessHandle(): Promise<FileSystemSyncAccessHandle>;
}

/** The core's controllers. The bundler inserts them into the script. */
declare module 'ccscope:controllers.wasm' {
  /** The bytes of the WebAssembly module, compressed (raw deflate), in Base64. */
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
/** The source text of the whole script. The worker of the script is started from this text. */
declare const CCSCOPE_SOURCE: string;
/** The frame worker's script. */
declare const FRAME_WORKER_SOURCE: string;
/** Browsers have this interface in workers, but TypeScript declares it only in the library for workers. */
interface FileSystemSyncAccessHandle {
  truncate(size: number): void;
  write(bytes: Uint8Array<ArrayBuffer>, options?: { at?: number }): number;
  close(): void;
}
interface FileSystemFileHandle {
  createSyncAccessHandle(): Promise<FileSystemSyncAccessHandle>;
}

/** Names the code that made a result. */

/** `ccscope 0.1.0, core 1a2b3c4d5e6f`: the version, and the first digits of the core's hash. */
export const codeText = ({
  ccscope,
  core_sha256: core,
}: {
  ccscope: string;
  core_sha256?: string | undefined;
}): string => [`ccscope ${ccscope}`, ...(core === undefined ? [] : [`core ${core.slice(0, 12)}`])].join(', ');

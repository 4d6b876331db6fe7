/** The tools that tests use. */
export function findEmcc(): string | null | undefined;
export function emccEnv(): NodeJS.ProcessEnv;
export function findFirefox(): string | undefined;

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');

/** A program of the workspace: named by the environment, else the optimised build, else the debug build. */
export function program(name: 'rollcall' | 'drill'): string {
  const named = process.env[`${name.toUpperCase()}_BIN`];
  const places = named ? [named] : ['release', 'debug'].map((profile) => join(ROOT, 'target', profile, name));
  const found = places.find((path) => existsSync(path));
  if (!found) throw new Error(`${name} is not built; looked for ${places.join(' and ')}`);
  return found;
}

/** This process's environment without settings of Rollcall, which would leak into the server under test. */
export function environment(extra: Record<string, string> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (!entry[0].startsWith('ROLLCALL_') || entry[0] === 'ROLLCALL_SITE'),
  );
  return { ...Object.fromEntries(kept), ...extra };
}

/** Runs a program to its end, with this on its standard input, and gives what it printed; fails with its error text. */
export function run(path: string, args: string[], env = environment(), input = ''): Promise<string> {
  return new Promise((done, failed) => {
    const child = execFile(path, args, { env, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error) failed(new Error(`${path} ${args[0]} ${args[1] ?? ''}: ${stderr || error.message}`));
      else done(stdout);
    });
    // A program that reads nothing may have closed it.
    child.stdin?.on('error', () => undefined).end(input);
  });
}

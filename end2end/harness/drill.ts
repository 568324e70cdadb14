import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Account } from './account.ts';
import type { Container } from './container.ts';
import { environment, program, ROOT, run } from './programs.ts';

/** A play of the drill that runs beside a test. */
export class Drill {
  private said = '';

  private constructor(private readonly process: ChildProcess) {
    for (const stream of [process.stdout, process.stderr]) {
      stream?.on('data', (data: Buffer) => (this.said += data.toString()));
    }
  }

  /** Plays `scenarios/NAME.toml`, with `{account}` and other `{words}` in it replaced. */
  static async play(account: Account, name: string, words: Record<string, string>, ...flags: string[]): Promise<Drill> {
    let text = await readFile(join(ROOT, 'end2end/scenarios', `${name}.toml`), 'utf8');
    for (const [word, value] of Object.entries({ account: account.name, ...words })) {
      text = text.replaceAll(`{${word}}`, value);
    }
    const file = join(account.server.folder, `${account.name}-${name}.toml`);
    await writeFile(file, text);
    return Drill.start('run', '--scenario', file, ...Drill.target(account), ...flags);
  }

  /** The scopes of the demo fleet below its account. */
  static async demoScopes(): Promise<string[]> {
    const scopes = (await run(program('drill'), ['demo', '--print-scopes'])).trim().split('\n');
    return scopes.flatMap((scope) => scope.split('/').slice(1).join('/') || []);
  }

  /** Plays the demo fleet. */
  static demo(account: Account, ...flags: string[]): Drill {
    return Drill.start('demo', '--account', account.name, ...Drill.target(account), ...flags);
  }

  /** Plays one delegate that finds everything in exactly this environment. */
  static container({ image, variables }: Container): Drill {
    const child = spawn(program('drill'), ['delegate', '--image', image], { env: variables, stdio: ['ignore', 'pipe', 'pipe'] });
    return new Drill(child);
  }

  /** Ends it without goodbyes, as a power cut does. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  /** Fails if it has ended by itself. */
  check(): void {
    if (this.process.exitCode !== null) throw new Error(`the drill ended by itself:\n${this.said}`);
  }

  private static start(...args: string[]): Drill {
    return new Drill(spawn(program('drill'), args, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  private static target(account: Account): string[] {
    return ['--url', account.server.url, ...account.pairs().flatMap((pair) => ['--token', pair])];
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const process = this.process;
    if (process.exitCode !== null || process.signalCode !== null) return;
    const ended = new Promise((done) => process.once('exit', done));
    process.kill(signal);
    await ended;
  }
}

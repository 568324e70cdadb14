import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { Balancer } from './balancer.ts';
import { edit } from './database.ts';
import { ADMIN, type Cookie, addPerson, session } from './people.ts';
import { Postgres } from './postgres.ts';
import { environment, program, run } from './programs.ts';

/** What a server may be given. */
export interface Given {
  /** Without, nobody can sign in yet. */
  admin?: boolean;
  /** Address and port instead of a free one. */
  listen?: string;
  /** Settings file (TOML). */
  config?: string;
  /** Another build than the usual one. */
  program?: string;
}

/** What servers keep their data in: a file, PostgreSQL, or PostgreSQL with two nodes that take turns. */
export const DATABASES = ['sqlite', 'postgres', 'pair'] as const;
export type Database = (typeof DATABASES)[number];

/** What this worker's servers keep their data in. */
let chosen: Database = 'sqlite';

/** Chooses for every server from now on. */
export function chooseDatabase(database: Database): void {
  if (!DATABASES.includes(database)) throw new Error(`there is no database ${database}: ${DATABASES.join(', ')}`);
  chosen = database;
}

/** Nodes that must not outlive the tests, however those end. */
const living = new Set<ChildProcess>();
process.once('exit', () => living.forEach((node) => node.kill('SIGKILL')));

/** A real `rollcall serve` on a free loopback port, with a database and a master key of its own. */
export class Server {
  /** Where it listens; the port stays the same over restarts. */
  url = '';
  /** The one-time link of the first start, while nobody can sign in. */
  setupLink: string | undefined;
  /** The session of its admin. */
  private admin: Cookie | undefined;
  /** Its nodes, with where each listens. */
  private nodes: { process: ChildProcess; url: string }[] = [];
  /** In front of two nodes. */
  private balancer: Balancer | undefined;

  private constructor(
    readonly folder: string,
    private readonly kind: Database,
    private readonly database: string,
    private readonly given: Given,
  ) {}

  /** Starts one with an admin of everything, who is signed in. */
  static async create(given: Given = {}): Promise<Server> {
    const folder = await mkdtemp(join(tmpdir(), 'rollcall-'));
    const file = `sqlite://${join(folder, 'rollcall.db')}`;
    const server = new Server(folder, chosen, chosen === 'sqlite' ? file : (await Postgres.shared()).create(), given);
    if (given.config) await writeFile(server.configFile, given.config);
    const peopled = given.admin ?? true;
    if (peopled) await addPerson(server, { email: ADMIN, scope: '*', role: 'admin' });
    await server.start();
    if (peopled) server.admin = await session(server, ADMIN);
    return server;
  }

  /** Cookies of a browser in which the admin is signed in. */
  get signedIn(): Cookie[] {
    return this.admin ? [this.admin] : [];
  }

  /** The same for requests that no browser sends. */
  get headers(): Record<string, string> {
    return { cookie: this.signedIn.map(({ name, value }) => `${name}=${value}`).join('; ') };
  }

  /** Starts it and waits until it is ready. */
  async start(): Promise<void> {
    const listen = this.url ? new URL(this.url).host : (this.given.listen ?? '127.0.0.1:0');
    if (this.kind === 'pair') {
      for (let node = 0; node < 2; node += 1) await this.startNode('127.0.0.1:0');
      this.balancer ??= await Balancer.listen(listen, () => this.nodes.map(({ url }) => Number(new URL(url).port)));
      this.url = this.balancer.url;
      // Without a public address a node can only name its own.
      if (this.setupLink) this.setupLink = new URL(new URL(this.setupLink).pathname, this.url).href;
    } else {
      this.url = await this.startNode(listen);
    }
    for (const { url } of this.nodes) await this.until('/readyz', (answer) => answer.ok, undefined, url);
  }

  private async startNode(listen: string): Promise<string> {
    const process = spawn(this.program, ['serve', '--listen', listen], {
      env: this.environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    process.stderr.pipe(createWriteStream(this.logFile, { flags: 'a' }));
    living.add(process);
    process.once('exit', () => living.delete(process));
    const url = await new Promise<string>((ready, failed) => {
      // First its address, then the link of the first start if there is one.
      createInterface(process.stdout).on('line', (line) => {
        if (line.includes('/setup/')) this.setupLink = line;
        else ready(line);
      });
      process.once('error', failed);
      process.once('exit', (code) => {
        void this.log().then((log) => failed(new Error(`the server ended with ${code}:\n${log}`)));
      });
    });
    this.nodes.push({ process, url });
    return url;
  }

  /** Ends it as an operator does: it writes what is left. */
  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  /** Ends it as a power cut does. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  /** Changes the database while the server is stopped, then starts it again. */
  async rewrite(...statements: string[]): Promise<void> {
    await this.stop();
    if (this.kind === 'sqlite') await edit(new URL(this.database).pathname, statements);
    else (await Postgres.shared()).edit(this.database, statements);
    await this.start();
  }

  /** Runs a command of the command line against the same database. */
  command(...args: string[]): Promise<string> {
    return run(this.program, args, this.environment());
  }

  /** The same with this on its standard input. */
  commandReading(input: string, ...args: string[]): Promise<string> {
    return run(this.program, args, this.environment(), input);
  }

  /** Imports a catalog document. */
  async importCatalog(document: string): Promise<void> {
    const file = join(this.folder, 'catalog.json');
    await writeFile(file, document);
    await this.command('catalog', 'import', file);
  }

  /** Ends it and removes its folder. */
  async dispose(): Promise<void> {
    await this.kill();
    await this.balancer?.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Everything it has written to standard error. */
  log(): Promise<string> {
    return readFile(this.logFile, 'utf8').catch(() => '');
  }

  /** Asks again and again until the answer is as wanted. */
  async until(
    path: string,
    wanted: (answer: Response) => boolean,
    init?: () => RequestInit,
    url = this.url,
  ): Promise<void> {
    for (let tries = 0; tries < 300; tries += 1) {
      const answer = await fetch(url + path, init?.()).catch(() => undefined);
      if (answer && wanted(answer)) return;
      await new Promise((wake) => setTimeout(wake, 100));
    }
    throw new Error(`${path} never answered as expected:\n${await this.log()}`);
  }

  private get program(): string {
    return this.given.program ?? program('rollcall');
  }

  private get configFile(): string {
    return join(this.folder, 'rollcall.toml');
  }

  private get logFile(): string {
    return join(this.folder, 'serve.log');
  }

  private environment(): Record<string, string> {
    return environment({
      ROLLCALL_DATABASE: this.database,
      ROLLCALL_MASTER_KEY_FILE: join(this.folder, 'master.key'),
      ...(this.given.config ? { ROLLCALL_CONFIG: this.configFile } : {}),
    });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    await Promise.all(
      this.nodes.splice(0).map(async ({ process }) => {
        if (process.exitCode !== null || process.signalCode !== null) return;
        const ended = new Promise((done) => process.once('exit', done));
        process.kill(signal);
        await ended;
      }),
    );
  }
}

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Debian keeps the programs, one folder per major version. */
const DISTRIBUTION = '/usr/lib/postgresql';
/** The user that runs it when tests run as root, which PostgreSQL refuses to do. */
const AS_USER = process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', '--'] : [];

/** Stays beside it and reads a pipe that closes when this process ends, however that happens. */
const GUARD = 'folder=$1; shift; "$@" </dev/null & cat >/dev/null; kill -QUIT $!; wait; rm -rf "$folder"';

/** A PostgreSQL server of this process in a temporary folder, with a database for each who asks. */
export class Postgres {
  private static running: Promise<Postgres> | undefined;
  private databases = 0;

  private constructor(private readonly port: number) {}

  /** The one of this process; it is started when it is first asked for, and ends with the process. */
  static shared(): Promise<Postgres> {
    Postgres.running ??= Postgres.start();
    return Postgres.running;
  }

  private static async start(): Promise<Postgres> {
    const folder = await mkdtemp(join(tmpdir(), 'rollcall-postgres-'));
    if (AS_USER.length > 0) execFileSync('chown', ['postgres', folder]);
    const data = join(folder, 'data');
    call('initdb', ['--username=rollcall', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync', '--pgdata', data]);
    const port = await freePort();
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'max_connections=100'];
    const server = [...AS_USER, binary('postgres'), '-D', data, '-p', `${port}`, ...settings.flatMap((one) => ['-c', one])];
    // In a group of its own: a signal to all tests must not reach the guard.
    spawn('sh', ['-c', GUARD, 'guard', folder, ...server], {
      cwd: folder,
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    }).unref();
    const ready = () => {
      const lock = join(data, 'postmaster.pid');
      // It says on the eighth line of its lock file whether it takes connections.
      return existsSync(lock) && readFileSync(lock, 'utf8').split('\n')[7]?.trim() === 'ready';
    };
    for (let tries = 0; tries < 600 && !ready(); tries += 1) await new Promise((wake) => setTimeout(wake, 50));
    return new Postgres(port);
  }

  /** The URL of an empty database. */
  create(): string {
    this.databases += 1;
    const name = `rollcall_${this.databases}`;
    this.run('postgres', `CREATE DATABASE ${name}`);
    return this.url(name);
  }

  /** Runs statements in the database of a URL. */
  edit(url: string, statements: string[]): void {
    this.run(new URL(url).pathname.slice(1), statements.join(';\n'));
  }

  private url(database: string): string {
    return `postgres://rollcall@127.0.0.1:${this.port}/${database}`;
  }

  private run(database: string, sql: string): void {
    call('psql', ['--quiet', '--no-psqlrc', '--set', 'ON_ERROR_STOP=1', '--command', sql, this.url(database)]);
  }
}

function binary(name: string): string {
  const versions = existsSync(DISTRIBUTION) ? readdirSync(DISTRIBUTION).sort((a, b) => Number(b) - Number(a)) : [];
  const found = versions.map((version) => join(DISTRIBUTION, version, 'bin', name)).find((path) => existsSync(path));
  return found ?? name;
}

function call(name: string, args: string[]): void {
  const [command = name, ...words] = [...AS_USER, binary(name), ...args];
  execFileSync(command, words, { cwd: tmpdir(), stdio: ['ignore', 'ignore', 'pipe'] });
}

function freePort(): Promise<number> {
  return new Promise((found) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => found(port));
    });
  });
}

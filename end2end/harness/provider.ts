import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { ROOT, environment } from './programs.ts';
import { Server } from './server.ts';

const CLIENT = 'rollcall';
const SECRET = 'a secret between these two';

/** A real identity provider, and a server that knows it. */
export class Provider {
  private constructor(
    private readonly process: ChildProcess,
    readonly server: Server,
  ) {}

  /** Members of its groups get these roles: `[group, scope, role]`. */
  static async create(...roles: [string, string, string][]): Promise<Provider> {
    // Each needs to know the address of the other before it starts.
    const listen = `127.0.0.1:${await freePort()}`;
    const callback = `http://${listen}/sign-in/sso/callback`;
    const process = spawn(
      'node',
      [join(ROOT, 'end2end/provider/provider.js'), '--client', CLIENT, '--secret', SECRET, '--redirect', callback],
      { env: environment(), stdio: ['pipe', 'pipe', 'inherit'] },
    );
    const issuer = await new Promise<string>((ready, failed) => {
      createInterface(process.stdout).once('line', (line) => ready((JSON.parse(line) as { issuer: string }).issuer));
      process.once('exit', (code) => failed(new Error(`the identity provider ended with ${code}`)));
    });
    const config = [
      '[oidc]',
      `issuer = "${issuer}"`,
      `client_id = "${CLIENT}"`,
      `client_secret = "${SECRET}"`,
      `redirect_url = "${callback}"`,
      'name = "Example ID"',
      ...roles.flatMap(([group, scope, role]) => [
        '[[oidc.roles]]',
        `group = "${group}"`,
        `scope = "${scope}"`,
        `role = "${role}"`,
      ]),
    ];
    return new Provider(process, await Server.create({ listen, config: `${config.join('\n')}\n` }));
  }

  /** Ends both. */
  async dispose(): Promise<void> {
    await this.server.dispose();
    // It ends with its standard input.
    this.process.stdin?.end();
  }
}

function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const server = createServer();
    server.once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => found(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

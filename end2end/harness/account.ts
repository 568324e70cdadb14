import { credential, inner } from './jwe.ts';
import { ADMIN } from './people.ts';
import type { Server } from './server.ts';

/** The agent calls of one token. */
export interface Token {
  /** `acme/payments`: where delegates of this token land. */
  scope: string;
  /** The form that the command line prints. */
  outer: string;
  /** 32 hexadecimal characters. */
  hex: string;
}

let accounts = 0;

/** An account of its own for a test, so that tests share a server without seeing each other's delegates. */
export class Account {
  private readonly tokens = new Map<string, Token>();
  /** An API key of the admin for this account. */
  private key = '';

  private constructor(
    readonly server: Server,
    readonly name: string,
  ) {}

  /** Creates the account, and below it the scopes named like `payments` or `payments/checkout`, each with a token. */
  static async create(server: Server, below: string[] = [], name?: string): Promise<Account> {
    accounts += 1;
    const account = new Account(server, name ?? `acme${accounts}`);
    for (const scope of ['', ...below]) await account.addScope(scope);
    await account.addKey();
    await account.accepted();
    return account;
  }

  /** Creates an account of this name with this token, in hexadecimal form. */
  static async imported(server: Server, name: string, hex: string): Promise<Account> {
    const account = new Account(server, name);
    await account.addScope('', '--import', hex);
    await account.addKey();
    await account.accepted();
    return account;
  }

  /** The token of the account, or of a scope below it such as `payments/checkout`. */
  token(below = ''): Token {
    const token = this.tokens.get(below);
    if (!token) throw new Error(`no token for ${this.scope(below)}`);
    return token;
  }

  /** `acme`, `acme/payments`, `acme/payments/checkout`. */
  scope(below = ''): string {
    return below ? `${this.name}/${below}` : this.name;
  }

  /** Path of a page of a scope, such as `/a/acme/tokens`. */
  path(name: string, below = ''): string {
    const [organization, project] = below.split('/');
    return `/a/${this.name}${organization ? `/o/${organization}` : ''}${project ? `/p/${project}` : ''}/${name}`;
  }

  /** Path of the Delegates page. */
  page(below = '', query = ''): string {
    return `${this.path('delegates', below)}${query && `?${query}`}`;
  }

  /** Path of the page of one group. */
  groupPage(identifier: string, below = '', query = ''): string {
    return `${this.page(below)}/${encodeURIComponent(identifier)}${query && `?${query}`}`;
  }

  /** Path of the same in JSON. */
  api(below = '', query = ''): string {
    const [organization, project] = below.split('/');
    const path = `${this.name}${organization ? `/orgs/${organization}` : ''}${project ? `/projects/${project}` : ''}`;
    return `/api/v1/accounts/${path}/delegates${query && `?${query}`}`;
  }

  /** What a tool sends to be let in. */
  get headers(): Record<string, string> {
    return { 'x-api-key': this.key };
  }

  /** `scope=token` pairs for the drill. */
  pairs(): string[] {
    return [...this.tokens.values()].map(({ scope, outer }) => `${scope}=${outer}`);
  }

  private async addScope(below: string, ...flags: string[]): Promise<void> {
    const scope = this.scope(below);
    await this.server.command('scope', 'create', scope);
    const printed = await this.server.command('token', 'create', '--scope', scope, '--name', 'edge', ...flags);
    const outer = printed.trim();
    this.tokens.set(below, { scope, outer, hex: inner(outer) });
  }

  private async addKey(): Promise<void> {
    const printed = await this.server.command('api-key', 'create', '--user', ADMIN, '--name', 'tests', '--scope', this.name);
    this.key = printed.trim();
  }

  /** Waits until the running server knows scopes, key and tokens. */
  private async accepted(): Promise<void> {
    await this.server.until(this.api(), (answer) => answer.ok, () => ({ headers: this.headers }));
    for (const { hex } of this.tokens.values()) {
      const authorization = () => ({ headers: { authorization: `Delegate ${credential(hex, this.name)}` } });
      const path = `/api/agent/delegates/nobody/task-events?accountId=${this.name}`;
      await this.server.until(path, (answer) => answer.ok, authorization);
    }
  }
}

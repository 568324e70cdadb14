import { WebSocket } from 'ws';

import type { Account, Token } from './account.ts';
import { credential, tokenHash } from './jwe.ts';

/** Which client is played (`agent-protocol 0.3`). */
export type Family = 'go' | 'runner' | 'java';

/** What one delegate says about itself. */
export interface Profile {
  /** Becomes the group. */
  name: string;
  /** Scope below the account, such as `payments/checkout`. */
  below?: string;
  family?: Family;
  host?: string;
  version?: string;
  tags?: string[];
  /** Word of `delegateType` of a Java delegate. */
  type?: string;
  description?: string;
}

/** One delegate process, over real HTTP and WebSocket. Nothing happens by itself: each method is one call. */
export class Delegate {
  id = '';
  private socket: WebSocket | undefined;

  constructor(
    private readonly account: Account,
    readonly profile: Profile,
    private readonly token: Token = account.token(profile.below),
  ) {}

  /** Registers and beats once by that. */
  async register(): Promise<this> {
    const answer = await this.post('register', this.body());
    this.id = answer.resource.delegateId;
    return this;
  }

  /** One REST heartbeat. */
  async beat(changes: Partial<Profile> = {}): Promise<void> {
    Object.assign(this.profile, changes);
    await this.post('heartbeat-with-polling', { ...this.body(), delegateId: this.id });
  }

  /** The planned goodbye, which Go clients do not have. */
  async unregister(): Promise<void> {
    const { host, type } = this.facts();
    await this.post('unregister', {
      delegateId: this.id,
      hostName: host,
      ng: true,
      delegateType: type,
      ipAddress: '192.0.2.7',
    });
  }

  /** Opens the WebSocket of a Java delegate, sends one heartbeat and gives the acknowledgement. */
  async stream(): Promise<string> {
    const jwe = this.credential();
    const query = new URLSearchParams({ delegateId: this.id, token: jwe, delegateConnectionId: this.id });
    const base = this.account.server.url.replace('http', 'ws');
    const socket = new WebSocket(`${base}/stream/delegate/${this.account.name}?${query}`);
    this.socket = socket;
    await new Promise((open, failed) => socket.once('open', open).once('error', failed));
    const acknowledged = new Promise<string>((done) => socket.once('message', (data) => done(data.toString())));
    socket.send(
      JSON.stringify({
        delegateId: this.id,
        accountId: this.account.name,
        version: this.profile.version,
        lastHeartBeat: Date.now(),
        tokenName: 'Unregistered',
        token: jwe,
        delegateConnectionId: this.id,
        heartbeatAsObject: true,
      }),
    );
    return acknowledged;
  }

  /** One REST heartbeat that may be refused: status and body of the answer. */
  async refused(): Promise<{ status: number; body: string }> {
    const answer = await this.send(`/api/agent/delegates/heartbeat-with-polling?accountId=${this.account.name}`, {
      method: 'POST',
      body: `${JSON.stringify({ ...this.body(), delegateId: this.id })}\n`,
    });
    return { status: answer.status, body: await answer.text() };
  }

  /** What still comes over the open WebSocket until the server closes it, and the code that it closes with. */
  farewell(): Promise<{ frames: string[]; code: number }> {
    const socket = this.socket;
    if (!socket) throw new Error('no WebSocket is open');
    const frames: string[] = [];
    socket.on('message', (data) => frames.push(data.toString()));
    return new Promise((done) => socket.once('close', (code) => done({ frames, code })));
  }

  /** Drops the WebSocket, as a process does that is gone. */
  hangUp(): void {
    this.socket?.terminate();
  }

  /** One call of the upgrader that stands beside this delegate. */
  async upgrader(): Promise<void> {
    const query = new URLSearchParams({
      accountId: this.account.name,
      currentDelegateImageTag: `harness/delegate:${this.profile.version}`,
      delegateGroupName: this.profile.name,
    });
    await this.call(`/api/upgrade-check/delegate-v2?${query}`, {});
  }

  private facts(): { host: string; type: string } {
    const { family = 'java', name, host = `${name}-5f7d9c6b8-x2kqp`, type } = this.profile;
    const prefix = { go: 'dlite-', runner: 'runner-', java: '' }[family];
    return { host: prefix + host, type: family === 'java' ? (type ?? 'KUBERNETES') : 'DOCKER' };
  }

  /** The register body; the heartbeat adds the id (`agent-protocol 3.1`). */
  private body(): Record<string, unknown> {
    const { family = 'java', name, version, tags = [], description } = this.profile;
    const { host, type } = this.facts();
    const common = {
      accountId: this.account.name,
      delegateName: name,
      lastHeartBeat: Date.now(),
      delegateType: type,
      ng: true,
      hostName: host,
      ip: '192.0.2.7',
      tags,
      heartbeatAsObject: true,
    };
    switch (family) {
      case 'go':
        return { ...common, delegateRandomToken: this.token.hex, pollingModeEnabled: true, sequenceNum: 1 };
      case 'runner':
        return { ...common, version, pollingModeEnabled: true, runner: true, capacityConfig: { maxStages: null } };
      case 'java':
        return {
          ...common,
          version: version ?? null,
          description: description ?? null,
          immutable: !version?.startsWith('1.0.'),
          pollingModeEnabled: false,
          sequenceNum: null,
        };
    }
  }

  private credential(): string {
    return credential(this.token.hex, this.account.name);
  }

  private async post(path: string, body: unknown): Promise<{ resource: { delegateId: string } }> {
    const answer = await this.call(`/api/agent/delegates/${path}?accountId=${this.account.name}`, {
      method: 'POST',
      body: `${JSON.stringify(body)}\n`,
    });
    return answer.json() as Promise<{ resource: { delegateId: string } }>;
  }

  private send(path: string, init: RequestInit): Promise<Response> {
    const headers: Record<string, string> = { authorization: `Delegate ${this.credential()}` };
    if (this.profile.family === 'runner') headers.delegateTokenHash = tokenHash(this.token.hex);
    return fetch(this.account.server.url + path, { ...init, headers });
  }

  private async call(path: string, init: RequestInit): Promise<Response> {
    const answer = await this.send(path, init);
    if (!answer.ok) throw new Error(`${path.split('?')[0]}: ${answer.status} ${await answer.text()}`);
    return answer;
  }
}

/** Registers one delegate per profile, in order. */
export async function registerAll(account: Account, profiles: Profile[]): Promise<Delegate[]> {
  const delegates: Delegate[] = [];
  for (const profile of profiles) delegates.push(await new Delegate(account, profile).register());
  return delegates;
}

/** As many replicas of one delegate as said, as pods of one ReplicaSet. */
export function replicas(count: number, profile: Profile): Profile[] {
  const pod = (n: number) => n.toString(36).padStart(5, '0');
  return Array.from({ length: count }, (_, n) => ({ ...profile, host: `${profile.name}-5f7d9c6b8-${pod(n)}` }));
}

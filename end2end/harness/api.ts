import type { Account } from './account.ts';

/** The counters of `/api/v1`; the first eight are also the words of the page's `health` parameter. */
export interface Counts {
  expired: number;
  nearExpiry: number;
  unsupported: number;
  active: number;
  unknown: number;
  unreachable: number;
  connected: number;
  autoUpgradeOff: number;
  groups: number;
  instances: number;
}

export interface Replica {
  uuid: string;
  hostName: string;
  connected: boolean;
  version?: string;
  status?: string;
}

export interface Entry {
  name: string;
  type: string;
  tags: string[];
  connected: boolean;
  autoUpgrade: string;
  identifier: string;
  orgName?: string;
  projectName?: string;
  delegateReplicas: Replica[];
}

export interface Fleet {
  generatedAt: number;
  scope: string;
  counts: Counts;
  delegates: Entry[];
}

/** The fleet of a scope as tools see it. */
export async function fleet(account: Account, below = '', query = ''): Promise<Fleet> {
  const answer = await fetch(account.server.url + account.api(below, query), { headers: account.headers });
  if (!answer.ok) throw new Error(`${account.api(below, query)}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Fleet;
}

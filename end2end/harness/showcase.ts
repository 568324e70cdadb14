import { Account } from './account.ts';
import type { Versions } from './catalog.ts';
import { silentFor } from './database.ts';
import { Delegate, type Profile, registerAll, replicas } from './delegate.ts';
import type { Server } from './server.ts';

/** A fleet that shows every state at once. */
export interface Showcase {
  account: Account;
  versions: Versions;
}

const MINUTE = 60_000;
/** Longer than the 300 s after which a delegate counts as lost, far from the 6 h after which it is hidden. */
const LOST = 11 * MINUTE;

/** Three organizations, five projects, every column in every form. */
export async function showcase(server: Server, versions: Versions): Promise<Showcase> {
  const below = [
    'payments',
    'payments/checkout',
    'payments/ledger',
    'logistics',
    'logistics/routing',
    'media',
    'media/streaming',
    'media/empty',
  ];
  const account = await Account.create(server, below);
  const delegates = await registerAll(account, groups(versions));
  await new Delegate(account, { name: 'core-helm', version: versions.latest }).upgrader();
  await new Delegate(account, { name: 'core-behind', version: versions.unsupported }).upgrader();
  // Not connected, and partially connected.
  await server.rewrite(silentFor(LOST, account.name, "host_name LIKE 'core-lost-%' OR host_name LIKE 'core-near-%-00002'"));
  keepAlive(delegates);
  return { account, versions };
}

/** Registers again, which counts as a heartbeat, for as long as the tests take, so that a slow machine does not let the fleet fall silent. */
function keepAlive(delegates: Delegate[]): void {
  const lost = ({ profile }: Delegate) => profile.name === 'core-lost' || /^core-near-.*-00002$/.test(profile.host ?? '');
  const alive = delegates.filter((delegate) => !lost(delegate));
  const round = async () => {
    // A server that a test has stopped, or that is gone at the end, hears nothing.
    for (const delegate of alive) await delegate.register().catch(() => undefined);
  };
  setInterval(() => void round(), MINUTE).unref();
}

function groups(versions: Versions): Profile[] {
  return [
    ...replicas(2, { name: 'core-helm', type: 'HELM_DELEGATE', version: versions.latest, tags: ['eu', 'prod', 'linux', 'blue'] }),
    ...replicas(2, { name: 'core-old', version: versions.expired, tags: ['eu'], description: 'An old cluster' }),
    ...replicas(3, { name: 'core-near', type: 'ECS', version: versions.near }),
    { name: 'core-behind', type: 'DOCKER', host: 'box-1', version: versions.unsupported },
    { name: 'core-lost', version: versions.unsupported },
    { name: 'core-vm', family: 'go', host: 'build-01', tags: ['linux'] },
    { name: 'core-runner', family: 'runner', host: 'ip-198-51-100-7', version: versions.runner },
    { name: 'core-custom', type: 'SHELL_SCRIPT', host: 'box-2', version: 'our-own-build' },
    { name: 'core-legacy', host: 'core-legacy-acme-0', version: versions.legacy },
    ...replicas(2, { name: 'mixed', version: versions.latest }).map((pod, n) =>
      n === 0 ? pod : { ...pod, version: versions.expired },
    ),
    { name: 'Odd_Name', type: 'CE_KUBERNETES', version: versions.latest },
    { name: 'plain', type: 'SOMETHING_NEW', host: 'box-3', version: versions.latest },
    ...replicas(2, { name: 'pay-a', below: 'payments', version: versions.near, tags: ['eu'] }),
    { name: 'pay-b', below: 'payments', version: versions.latest },
    ...replicas(3, { name: 'checkout-a', below: 'payments/checkout', version: versions.expired }),
    { name: 'ledger-a', below: 'payments/ledger', version: versions.unsupported },
    { name: 'log-a', below: 'logistics', version: versions.latest },
    ...replicas(2, { name: 'routing-a', below: 'logistics/routing', version: versions.near }),
    { name: 'stream-a', below: 'media/streaming', version: versions.unsupported },
  ];
}

import type { Account } from '../harness/account.ts';
import { type Delegate, registerAll } from '../harness/delegate.ts';
import { Delegates } from '../harness/pages.ts';
import { expect, test } from '../harness/test.ts';

/** A page that answers with an error code is an error to the browser's console as well. */
const REFUSED = /Failed to load resource: the server responded with a status of 4\d\d/;

async function edge(account: Account, version: string): Promise<[Delegate, string]> {
  const [delegate] = await registerAll(account, [{ name: 'edge', version, tags: ['namespace:agents'] }]);
  if (!delegate) throw new Error('no delegate');
  return [delegate, `${account.groupPage('_edge')}/instances/${delegate.id}`];
}

test.describe('The page of an instance', () => {
  test('is reached from the list, tells what is known, and leads back', async ({ page, keys, account, versions }) => {
    const [delegate] = await edge(account, versions.latest);
    await keys.open(account.groupPage('_edge'));
    const list = new Delegates(page).instances('edge');
    await keys.press(list.getByRole('link', { name: 'edge-5f7d9c6b8-x2kqp', exact: true }));
    await expect(page.getByRole('heading', { level: 1, name: 'edge-5f7d9c6b8-x2kqp' })).toBeVisible();
    await keys.awake();
    const facts = page.getByRole('region', { name: 'Facts' });
    for (const words of [delegate.id, '192.0.2.7', versions.latest, 'edge, active', 'agents', 'WebSocket']) {
      await expect(facts).toContainText(words);
    }
    await keys.sound();
    await keys.press(page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'edge' }));
    await expect(page).toHaveURL(account.groupPage('_edge'));
  });

  test('shows its past as strip, timeline and list', async ({ page, keys, account, versions }) => {
    const [, path] = await edge(account, versions.latest);
    await keys.open(path);
    const past = page.getByRole('region', { name: /^Past/ });
    await expect(past.getByRole('img', { name: /^Heartbeats of edge-/ })).toBeVisible();
    await expect(past.getByRole('img', { name: /^Timeline of edge-.*: connected for/ })).toBeVisible();
    await expect(async () => {
      await page.reload();
      await expect(past.getByRole('table', { name: 'Changes, newest first' })).toContainText('Registered for the first time', {
        timeout: 1_000,
      });
    }).toPass();
    await keys.awake();
    await keys.press(past.getByRole('link', { name: 'Heartbeats of the past 30 days' }));
    await expect(page).toHaveURL(/window=30d$/);
    await expect(page.getByRole('heading', { name: 'Past 30 days' })).toBeVisible();
  });

  test('can be read after a goodbye', async ({ page, keys, account, versions }) => {
    const [delegate, path] = await edge(account, versions.latest);
    await delegate.unregister();
    await keys.open(path);
    await expect(page.getByText('This instance is hidden')).toBeVisible();
    await expect(page.getByText('Stopped as planned: it said goodbye')).toBeVisible();
    await keys.open(`${account.groupPage('_edge')}/instances`);
    await expect(page.getByRole('heading', { name: 'No instance is listed' })).toBeVisible();
    await keys.press(page.getByRole('link', { name: 'Show hidden instances' }));
    await expect(page.getByRole('table', { name: 'Instances of edge' })).toContainText('Hidden');
  });

  test('of an unknown one is 404 and leads to the others', async ({ page, keys, account, versions, guard }) => {
    guard.expect(REFUSED);
    await edge(account, versions.latest);
    const answer = await page.goto(`${account.groupPage('_edge')}/instances/nobody`);
    expect(answer?.status()).toBe(404);
    await expect(page.getByRole('heading', { level: 1, name: 'There is no such instance' })).toBeVisible();
    await keys.press(page.getByRole('link', { name: 'See all instances of this delegate' }));
    await expect(page.getByRole('table', { name: 'Instances of edge' })).toBeVisible();
  });
});

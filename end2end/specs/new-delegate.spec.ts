import { readFile } from 'node:fs/promises';

import { type Page, expect } from '@playwright/test';

import type { Account } from '../harness/account.ts';
import { audited } from '../harness/access.ts';
import { fleet } from '../harness/api.ts';
import { type Container, ofDocker, ofManifest, ofTask } from '../harness/container.ts';
import { Drill } from '../harness/drill.ts';
import type { Keyboard } from '../harness/keyboard.ts';
import { Delegates } from '../harness/pages.ts';
import { addPerson, become } from '../harness/people.ts';
import { test } from '../harness/test.ts';

/** The text of one file on the page. */
async function file(page: Page, name: string): Promise<string> {
  return (await page.getByRole('region', { name, exact: true }).textContent()) ?? '';
}

/** Shows the value of the token in the files of a choice. */
async function reveal(page: Page, keys: Keyboard, account: Account, query: string): Promise<void> {
  await keys.open(`${account.path('new')}?${query}`);
  await page.getByRole('combobox', { name: 'Token' }).selectOption('edge');
  await page.getByRole('button', { name: 'Make the files' }).click();
  await expect(page).toHaveURL(/token=/);
  await keys.awake();
  await keys.press(page.getByRole('button', { name: 'Show with the token' }));
  await expect(page.getByText(/^The value of token edge stands in these files/)).toBeVisible();
  await keys.awake();
}

/** Starts a delegate with exactly this environment, and waits until the page shows it. */
async function arrives(page: Page, scripts: boolean, container: Container, name: string): Promise<Drill> {
  const arrival = page.getByRole('status').filter({ hasText: name });
  await expect(arrival).toHaveText(`Waiting for the first heartbeat of ${name}`);
  const drill = Drill.container(container);
  const here = `${name} is connected`;
  if (scripts) {
    await expect(arrival).toHaveText(here);
  } else {
    await expect(async () => {
      drill.check();
      await page.getByRole('link', { name: 'Look again' }).click();
      await expect(arrival).toHaveText(here, { timeout: 1_000 });
    }).toPass();
  }
  await expect(page.getByRole('row').filter({ hasText: `_${name.replaceAll('-', '_')}` })).toContainText('Connected');
  return drill;
}

test('From the empty page to a connected Docker delegate', async ({ page, keys, scripts, account, versions }) => {
  const { outer } = account.token();
  await keys.open(account.page());
  await keys.press(page.getByRole('link', { name: 'Install a delegate' }));
  await expect(page.getByRole('heading', { level: 1, name: 'New delegate' })).toBeVisible();
  await keys.awake();
  await keys.press(page.getByRole('navigation', { name: 'Platform' }).getByRole('link', { name: 'Docker' }));
  await expect(page).toHaveURL(/platform=docker/);
  await keys.awake();
  await keys.type(page.getByRole('textbox', { name: 'Name', exact: true }), 'edge-eu');
  await keys.type(page.getByRole('textbox', { name: 'Tags' }), "eu, it's $(id)");
  await keys.choose(page.getByRole('combobox', { name: 'Token' }), 'edge');
  await keys.press(page.getByRole('button', { name: 'Make the files' }));
  await expect(page).toHaveURL(/name=edge-eu/);
  await keys.awake();
  expect(await file(page, 'docker-run.sh')).toContain("'DELEGATE_TOKEN=<DELEGATE_TOKEN>'");
  await expect(page.getByText(outer)).toHaveCount(0);
  for (const summary of ['Before it starts: ports', 'Sizes and how many delegates', 'Proxy and transport', 'It does not arrive']) {
    await keys.unfold(summary);
  }
  await keys.sound();

  await keys.press(page.getByRole('button', { name: 'Show with the token' }));
  await expect(page.getByText(/^The value of token edge stands in these files/)).toBeVisible();
  await keys.awake();
  expect(page.url()).not.toContain(outer.slice(0, 8));
  const script = await file(page, 'docker-run.sh');
  const download = page.waitForEvent('download');
  await keys.press(page.getByRole('button', { name: 'Download docker-run.sh' }));
  expect(await readFile(await (await download).path(), 'utf8')).toBe(script);

  const [container, upgrader, ...more] = await ofDocker(script);
  if (!container || !upgrader) throw new Error(script);
  expect(more).toEqual([]);
  expect(upgrader.variables).toMatchObject({ UPGRADER_WORKLOAD_NAME: 'edge-eu', UPGRADER_TOKEN: outer });
  const drill = await arrives(page, scripts, container, 'edge-eu');
  try {
    // What was shown is not masked again under the eyes of who copies it.
    if (scripts) expect(await file(page, 'docker-run.sh')).toBe(script);
    await keys.sound();
    const [entry] = (await fleet(account)).delegates;
    expect(entry).toMatchObject({ name: 'edge-eu', type: 'DOCKER', connected: true });
    expect(entry?.tags).toEqual(['edge-eu', 'eu', "it's $(id)"]);
    expect(entry?.delegateReplicas[0]?.version).toBe(versions.latest);
    await keys.press(page.getByRole('link', { name: 'Open edge-eu' }));
    await expect(page.getByRole('heading', { level: 1, name: 'edge-eu' })).toBeVisible();
    const lines = await audited(page, keys, account, 'token.show');
    expect(lines).toHaveLength(2);
    expect(lines.join()).toContain('in the download docker-run.sh');
    expect(lines.join()).not.toContain(outer);
  } finally {
    await drill.kill();
  }
});

test('Delegates on Kubernetes and 3.x on ECS start with exactly what their files say', async ({ page, keys, scripts, account }) => {
  const started: Drill[] = [];
  try {
    await reveal(page, keys, account, 'platform=kubernetes&name=kube&tags=eu&transport=polling');
    const manifest = ofManifest(await file(page, 'harness-delegate.yml'));
    expect(manifest.variables.DELEGATE_TOKEN).toBe(account.token().hex);
    started.push(await arrives(page, scripts, manifest, 'kube'));

    await reveal(page, keys, account, 'platform=3x-ecs&name=tasks');
    started.push(await arrives(page, scripts, ofTask(await file(page, 'task-definition.json')), 'tasks'));

    await reveal(page, keys, account, 'platform=3x-kubernetes&name=pods');
    started.push(await arrives(page, scripts, ofManifest(await file(page, 'harness-delegate.yml')), 'pods'));

    const { delegates } = await fleet(account);
    const told = delegates.map(({ name, type, connected, autoUpgrade }) => [name, type, connected, autoUpgrade]);
    expect(told.sort()).toEqual([
      ['kube', 'KUBERNETES', true, 'DETECTING'],
      ['pods', 'DOCKER', true, 'OFF'],
      ['tasks', 'DOCKER', true, 'OFF'],
    ]);
    expect(delegates.find(({ name }) => name === 'tasks')?.tags).toContain('platform:ecs');
  } finally {
    for (const drill of started) await drill.kill();
  }
});

test('Mistakes are told at their fields, and who may not install is told so', async ({ page, keys, server, account, guard }) => {
  guard.expect(/status of 40[03]/);
  await keys.open(account.path('new'));
  await keys.type(page.getByRole('textbox', { name: 'Name', exact: true }), 'Edge-1');
  await keys.press(page.getByRole('button', { name: 'Make the files' }));
  await expect(page.getByRole('alert')).toContainText('Correct what is marked below');
  await keys.awake();
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await expect(name).toHaveValue('Edge-1');
  await expect(name).toHaveAccessibleDescription(/begin and end with a letter/);
  await expect(page.getByRole('heading', { name: 'Run it' })).toHaveCount(0);
  await keys.sound();

  await keys.open(`${account.path('new')}?platform=fargate`);
  for (const summary of [
    'Before it starts: execution role',
    'Before it starts: log group and subnets',
    'Fargate or EC2',
    'Security context of steps',
    'Volumes',
    'Later',
  ]) {
    await keys.unfold(summary);
  }
  await expect(page.getByRole('table', { name: 'Fargate and EC2 compared' })).toContainText('up to 200 GiB');
  await keys.sound();

  const viewer = `viewer@${account.name}.test`;
  await addPerson(server, { email: viewer, scope: account.name, role: 'viewer' });
  await become(page, server, viewer);
  await keys.open(account.page());
  await expect(page.getByRole('heading', { name: `No delegates in account ${account.name} yet` })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Install a delegate' })).toHaveCount(0);
  expect((await page.goto(account.path('new')))?.status()).toBe(403);
});

test('The latest version stands beside the button, which leads to the page', async ({ page, keys, shown, versions }) => {
  await keys.open(shown.account.page());
  await expect(new Delegates(page).list).toBeVisible();
  await expect(page.getByText(`Latest version ${versions.latest}`)).toBeVisible();
  await keys.press(page.getByRole('link', { name: 'New delegate' }));
  await expect(page).toHaveURL(shown.account.path('new'));
});

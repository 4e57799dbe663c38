import { readFileSync } from 'node:fs'
import ts from 'typescript'

import { OWN_FLAGS } from '../../src/testing/cli/flags.js'
import { FAULT_FIELDS } from '../../src/testing/control/action-input.js'
import { CONTROL_ACTIONS } from '../../src/testing/control/control-server.js'
import { DRIVER_GROUPS } from '../../src/testing/control/drivers.js'
import { REFERRAL_MOVES } from '../../src/testing/domain/referrals-moves.js'
import { DEFAULT_FAKE_OPTIONS } from '../../src/testing/options/fake-options.js'

/** The files whose interfaces describe the options, in the order of the table. */
const OPTION_FILES = [
  'src/testing/server/options.ts',
  'src/testing/options/orders-options.ts',
  'src/testing/options/directory-options.ts',
]

/** The tables of docs/fake.md, by their marks. */
export const FAKE_TABLES = {
  'fake-flags': flagTable,
  'fake-moves': moveTable,
  'fake-drivers': driverTable,
  'fake-faults': faultTable,
  'fake-control': controlTable,
  'fake-options': optionTable,
}

function flagTable() {
  const rows = OWN_FLAGS.map(({ name, value, description }) => [
    code(value === undefined ? `--${name}` : `--${name} ${value}`),
    description,
  ])
  return table(['Flag', 'What it does'], rows)
}

function moveTable() {
  const rows = Object.entries(REFERRAL_MOVES).map(([name, { from, to, event, shown }]) => [
    code(name === 'scheduleReissue' ? 'reissue' : name),
    from.join(', '),
    to,
    code(event),
    shown ? 'yes' : 'no',
  ])
  return table(['`fake.referrals`', 'From', 'To', 'Event', 'Shown in §3.1'], rows)
}

function driverTable() {
  const rows = Object.entries(DRIVER_GROUPS).map(([group, drivers]) => [
    code(`fake.${group}`),
    Object.keys(drivers)
      .filter((name) => group !== 'deliveries' || !['list', 'trigger'].includes(name))
      .map(code)
      .join(', '),
  ])
  return table(['Group', 'Methods'], rows)
}

function faultTable() {
  return table(
    ['Part', 'What it is'],
    Object.entries(FAULT_FIELDS).map(([name, words]) => [code(name), words]),
  )
}

function controlTable() {
  const rows = CONTROL_ACTIONS.map(({ method, path, description, body = {} }) => [
    code(`${method} ${path}`),
    description,
    Object.keys(body).map(code).join(', '),
  ])
  return table(['Request', 'What it does', 'Fields of the body'], rows)
}

function optionTable() {
  const rows = OPTION_FILES.flatMap(membersOf).map(({ name, words }) => [
    code(name),
    code(defaultOf(name)),
    words,
  ])
  return table(['Option', 'Default', 'What it decides, and why so by default'], rows)
}

/** @param {string} name */
function defaultOf(name) {
  /** @type {Readonly<Record<string, unknown>>} */
  const defaults = { ...DEFAULT_FAKE_OPTIONS }
  return JSON.stringify(defaults[name]) ?? 'none'
}

/**
 * The members of the interfaces that name options, each with what its comment says; a member without a comment is of a
 * group that the one before it describes.
 *
 * @param {string} file
 */
function membersOf(file) {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  /** @type {{ name: string, words: string }[]} */
  const members = []
  for (const statement of source.statements) {
    if (!ts.isInterfaceDeclaration(statement) || !statement.name.text.endsWith('Options')) continue
    for (const member of statement.members) {
      const name = member.name?.getText(source) ?? ''
      const comment = ts.getJSDocCommentsAndTags(member)[0]?.comment
      const words = comment === undefined ? 'As above.' : plain(ts.getTextOfJSDocComment(comment) ?? '')
      members.push({ name, words })
    }
  }
  return members
}

/**
 * A comment in one line of a table: its list becomes lines of a cell.
 *
 * @param {string} comment
 */
function plain(comment) {
  return comment
    .split(/\n\s*\n/)
    .flatMap((paragraph) => paragraph.split(/\n(?=- )/))
    .map((part) => part.replaceAll(/\s*\n\s*/g, ' ').replace(/^- /, '• '))
    .join('<br>')
}

/** @param {string} text */
function code(text) {
  return `\`${text}\``
}

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

import { tables } from './001-tables.js'
import type { Migration } from './migration.js'

/** All migrations in the order of their numbers. */
export const MIGRATIONS: readonly Migration[] = [tables]

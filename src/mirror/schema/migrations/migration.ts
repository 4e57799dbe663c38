/** A numbered change of the schema. */
export interface Migration {
  /** Numbers start at 1 and have no gaps. */
  readonly version: number
  /** Short name of the migration's additions. */
  readonly name: string
  /**
   * Plain SQL in which `{schema}` stands for the schema's name. A migration only adds objects, such as tables,
   * columns, indexes and views, because version n of the code must also run on schema n + 1.
   */
  readonly sql: string
}

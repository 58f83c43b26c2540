/** Bytes of a Parquet file that contradict the format, or each other. */
export class ParquetFault extends Error {
  constructor(
    message: string,
    /** Where in the file; null where that is not known. */
    readonly byteOffset: number | null = null,
    /** The column; null where it is none alone. */
    readonly column: string | null = null,
  ) {
    super(message)
  }
}

/** A part of the format that is not read here: another library may know it. */
export class ParquetUnknown extends Error {}

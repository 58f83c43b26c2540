/**
 * The version of what decoders make of a file: to be raised whenever a column, its meaning or the layout of batches
 * changes, so that no kept day or table is taken for what this decoder makes of its file.
 */
export const DECODER_VERSION = 8

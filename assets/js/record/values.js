// The numbers of layers, out of a record as `decode` in record.js gives it.

// The values of a layer, given by the source of its row of the table: a sum for the scale "fates", else what
// lies at its one path; null for the photo.
export function sourceOf(record, layer, { source, first, scale }) {
  const terms = Object.entries(source).map(([path, times]) => {
    const values = resolve(record, path, layer.branch);
    return [layer.number === null ? values : values[layer.number - first], times];
  });
  if (!terms.length) return null;
  if (scale !== "fates") return terms[0][0];
  const { length } = record.branches[0].kept;
  return Array.from({ length }, (_, patch) =>
    terms.reduce((sum, [values, times]) => sum + times * (values?.[patch] ?? 0), 0));
}

// What lies at a path into the record, see demo/record/layer_table.py; undefined where the record lacks it.
export function resolve(record, path, branch) {
  const { branches, alignments: [alignment], classes, measures } = record;
  const [sparse, dense] = branches;
  const [root, ...steps] = path.split(".");
  const roots = { branch: branches.find(({ name }) => name === branch), sparse, dense, alignment, classes, measures };
  return steps.reduce((value, step) => value?.[step], roots[root]);
}

// {name: "token", number: 7, branch: "dense"} to "token:7:dense".
export function layerText({ name, number, branch }) {
  return [name, ...(number === null ? [] : [number]), ...(branch === "sparse" ? [] : [branch])].join(":");
}

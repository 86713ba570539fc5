/* The page's data: base64 of gzip of JSON, with the columns put back that packed_columns.py left to follow from others. */
const FOLLOWING = {
  mdeAlone: (at, share) => share * at("mde"),
  noiseLow: (at, share) => at("delta") - share * at("mde"),
  noiseHigh: (at) => 2 * at("delta") - at("noiseLow"),
  peopleHigh: (at) => 2 * at("delta") - at("peopleLow"),
  people90Low: (at, share) => at("delta") - share * (at("delta") - at("peopleLow")),
  people90High: (at) => 2 * at("delta") - at("people90Low"),
  mdePeople: (at, share) => share * (at("delta") - at("peopleLow")),
  sd: (at, share) => share * (at("delta") - at("peopleLow")),
  d: (at) => at("delta") / at("sd"),
  bases: (at) => at("pairs"),
  up: (at) => at("bases") - at("down"),
  scenariosDown: (at) => Number(at("delta") < 0),
  scenariosUp: (at) => Number(at("delta") > 0),
  excessFlips: (at) => at("flips") - at("repeatFlips"),
  fourFifths: (at) => at("favourable") / at("anchorFavourable"),
};
const putBack = (table) => {
  for (const [name, formula] of Object.entries(FOLLOWING)) {
    if (!table.packed[name]) continue;
    const { share, rest } = table.packed[name];
    table[name] = rest.map((missing, i) => {
      if (missing === null) return null;
      const following = formula((key) => table[key]?.[i] ?? NaN, share);
      return Number(((Number.isFinite(following) ? following : 0) + missing).toPrecision(6));
    });
  }
};
const unpack = async (text) => {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const unpacked = await new Response(stream).json();
  [unpacked.pooled, unpacked.perQuestion].forEach(putBack);
  return unpacked;
};

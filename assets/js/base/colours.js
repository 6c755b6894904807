// The colours of pictures, as in demo/drawing/palette.py and demo/drawing/layered.py.

export const VEIL = "#10191a";
export const BLANK = "#8b9494"; // placeholder of a missing picture

// matplotlib's viridis, 256 colours of three bytes.
const VIRIDIS = (
  "44015444025544035745055845065a45085b46095c460b5e460c5f460e61470f62471163471265471466471567471669" +
  "47186a48196b481a6c481c6e481d6f481e70482071482172482273482374472575472676472777472878472a79472b7a" +
  "472c7b462d7c462f7c46307d46317e45327f45347f453580453681443781443982433a83433b83433c84423d84423e85" +
  "4240854141864142864043874044873f45873f47883e48883e49893d4a893d4b893d4c893c4d8a3c4e8a3b508a3b518a" +
  "3a528b3a538b39548b39558b38568b38578c37588c37598c365a8c365b8c355c8c355d8c345e8d345f8d33608d33618d" +
  "32628d32638d31648d31658d31668d30678d30688d2f698d2f6a8d2e6b8e2e6c8e2e6d8e2d6e8e2d6f8e2c708e2c718e" +
  "2c728e2b738e2b748e2a758e2a768e2a778e29788e29798e287a8e287a8e287b8e277c8e277d8e277e8e267f8e26808e" +
  "26818e25828e25838d24848d24858d24868d23878d23888d23898d22898d228a8d228b8d218c8d218d8c218e8c208f8c" +
  "20908c20918c1f928c1f938b1f948b1f958b1f968b1e978a1e988a1e998a1e998a1e9a891e9b891e9c891e9d881e9e88" +
  "1e9f881ea0871fa1871fa2861fa38620a48520a58521a68521a78422a78423a88323a98224aa8225ab8126ac8127ad80" +
  "28ae7f29af7f2ab07e2bb17d2cb17d2eb27c2fb37b30b47a32b57a33b67935b77836b87738b97639b9763bba753dbb74" +
  "3ebc7340bd7242be7144be7045bf6f47c06e49c16d4bc26c4dc26b4fc36951c46853c56755c66657c66559c7645bc862" +
  "5ec96160c96062ca5f64cb5d67cc5c69cc5b6bcd596dce5870ce5672cf5574d05477d05279d1517cd24f7ed24e81d34c" +
  "83d34b86d44988d5478bd5468dd64490d64392d74195d73f97d83e9ad83c9dd93a9fd938a2da37a5da35a7db33aadb32" +
  "addc30afdc2eb2dd2cb5dd2bb7dd29bade27bdde26bfdf24c2df22c5df21c7e01fcae01ecde01dcfe11cd2e11bd4e11a" +
  "d7e219dae218dce218dfe318e1e318e4e318e7e419e9e419ece41aeee51bf1e51cf3e51ef6e61ff8e621fae622fde724"
).match(/.{6}/g).map((colour) => `#${colour}`);
export const DENSE_ONLY = VIRIDIS[0];
export const SPARSE_ONLY = VIRIDIS[255];

// The colour of a value on a range [low, high].
/** @param {number} value @param {number[]} range */
export function colour(value, [low, high]) {
  const fraction = high > low ? (value - low) / (high - low) : 0;
  return VIRIDIS[Math.max(0, Math.min(255, Math.floor(fraction * 256)))];
}

// Positive and negative contributions, on a scale centred on zero.
const [FOR, AGAINST] = ["#00a88f", "#e0690b"];

export const sideColour = (value) => (value < 0 ? AGAINST : FOR);

// Opacity of a value's colour over the photo: 0 at the start of the scale (at its middle, if `centred`), 1 at its end. The
// square root keeps the map's dark low colours visible.
/** @param {number} value @param {number[]} range */
export function strength(value, [low, high], centred = false) {
  const [reached, length] = centred ? [Math.abs(value), high] : [value - low, high - low];
  const part = length > 0 ? Math.max(0, Math.min(1, reached / length)) : 0;
  return centred ? part : Math.sqrt(part);
}

// How a value is painted over a photo: its colour, and its opacity where `opacity` is that of the end of the scale.
/** @param {number} value @param {number[]} range @returns {[string, number]} */
export const look = (value, range, opacity, centred = false) =>
  [centred ? sideColour(value) : colour(value, range), opacity * strength(value, range, centred)];

// "#10191a" as [red, green, blue], from 0 to 255; and the colour of a value so.
export const channels = (hex) => hex.slice(1).match(/../g).map((pair) => parseInt(pair, 16));
export const shade = (value, range) => channels(colour(value, range));

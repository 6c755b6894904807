// One layer of a record over its photo, on a canvas. Patches cover the whole photo, whatever its aspect ratio.
window.SepsPicture = (() => {
  "use strict";

  const VEIL = "#10191a";
  const TINT = 0.45;
  const CROSS_FROM = 11; // CSS pixels: in smaller patches a cross would be noise

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
  const DENSE_ONLY = VIRIDIS[0];
  const SPARSE_ONLY = VIRIDIS[255];

  // The colour of a value on a range [low, high].
  function colour(value, [low, high]) {
    const share = high > low ? (value - low) / (high - low) : 0;
    return VIRIDIS[Math.max(0, Math.min(255, Math.floor(share * 256)))];
  }

  function isDark(hex) {
    const [red, green, blue] = hex.slice(1).match(/../g).map((pair) => parseInt(pair, 16));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 115;
  }

  // Draw a layer (text form) so that it fills the canvas, whose width and height are in device pixels.
  // opacity: of the veil and of the values, 0 to 1. lines: whether the patches' borders are drawn. range: [low, high]
  // of the colours instead of the layer's own. patch: the index of a patch to mark.
  function drawLayer(canvas, photo, record, text, { opacity = 0.75, lines = true, range = null, patch = null } = {}) {
    const layer = SepsRecord.parseLayer(text);
    const context = canvas.getContext("2d");
    const [rows, columns] = record.grid;
    const pixel = window.devicePixelRatio || 1;
    const across = Array.from({ length: columns + 1 }, (_, column) => Math.round((column * canvas.width) / columns));
    const down = Array.from({ length: rows + 1 }, (_, row) => Math.round((row * canvas.height) / rows));
    const cells = Array.from({ length: rows * columns }, (_, index) => {
      const [row, column] = [Math.floor(index / columns), index % columns];
      const [x, y] = [across[column], down[row]];
      return { row, column, x, y, width: across[column + 1] - x, height: down[row + 1] - y };
    });
    const fill = (cell, style, alpha) => {
      context.globalAlpha = alpha;
      context.fillStyle = style;
      context.fillRect(cell.x, cell.y, cell.width, cell.height);
    };

    context.globalAlpha = 1;
    context.imageSmoothingQuality = "high";
    context.drawImage(photo, 0, 0, canvas.width, canvas.height);
    if (layer.name === "mask") drawMask();
    else if (layer.name !== "photo") drawValues();
    context.globalAlpha = 1;
    if (lines) drawLines();
    if (layer.name === "mask") drawOutline();
    if (patch !== null) drawMark(cells[patch]);

    function drawMask() {
      const fates = SepsRecord.fates(record, layer);
      drainColour((index) => fates[index] === 0); // before the veil
      const styles = [[VEIL, opacity], [SPARSE_ONLY, TINT * opacity], [DENSE_ONLY, TINT * opacity]];
      cells.forEach((cell, index) => fates[index] < 3 && fill(cell, ...styles[fates[index]]));
    }

    function drainColour(where) {
      context.globalCompositeOperation = "saturation";
      cells.forEach((cell, index) => where(index) && fill(cell, "#808080", 1));
      context.globalCompositeOperation = "source-over";
    }

    function drawValues() {
      const { values, range: own } = SepsRecord.layerValues(record, layer);
      const { kept } = SepsRecord.branchOf(record, layer);
      const arm = Math.min(cells[0].width, cells[0].height) / 9;
      drainColour(() => true); // a coloured photo would tint the colour map
      cells.forEach((cell, index) => fill(cell, colour(values[index], range ?? own), opacity));
      if (9 * arm < CROSS_FROM * pixel) return;
      context.globalAlpha = 1;
      context.lineWidth = 1.4 * pixel;
      cells.forEach((cell, index) => {
        if (kept[index]) return;
        const [x, y] = [cell.x + cell.width - 2.2 * arm, cell.y + 2.2 * arm];
        context.strokeStyle = isDark(colour(values[index], range ?? own)) ? "#ffffffd0" : "#000000d0";
        path([[x - arm, y - arm, x + arm, y + arm], [x - arm, y + arm, x + arm, y - arm]]);
      });
    }

    function path(segments) {
      context.beginPath();
      for (const [x0, y0, x1, y1] of segments) {
        context.moveTo(x0, y0);
        context.lineTo(x1, y1);
      }
      context.stroke();
    }

    function drawLines() {
      context.lineWidth = 1;
      context.strokeStyle = "#ffffff38";
      path(across.slice(1, -1).map((x) => [x + 0.5, 0, x + 0.5, canvas.height]));
      path(down.slice(1, -1).map((y) => [0, y + 0.5, canvas.width, y + 0.5]));
    }

    // A white line with a dark edge between what is kept and what is dropped.
    function drawOutline() {
      const fates = SepsRecord.fates(record, layer);
      const segments = [];
      cells.forEach(({ row, column, x, y, width, height }, index) => {
        const differs = (other) => fates[index] === 0 !== (fates[other] === 0);
        if (column + 1 < columns && differs(index + 1)) segments.push([x + width, y, x + width, y + height]);
        if (row + 1 < rows && differs(index + columns)) segments.push([x, y + height, x + width, y + height]);
      });
      context.lineCap = "square";
      for (const [style, width] of [[VEIL, 3], ["#ffffff", 1.5]]) {
        context.lineWidth = width * pixel;
        context.strokeStyle = style;
        path(segments);
      }
    }

    function drawMark({ x, y, width, height }) {
      for (const [style, line] of [["#000000", 5], ["#ffffff", 2.5]]) {
        context.lineWidth = line * pixel;
        context.strokeStyle = style;
        context.strokeRect(x + 2.5 * pixel, y + 2.5 * pixel, width - 5 * pixel, height - 5 * pixel);
      }
    }
  }

  return { VEIL, SPARSE_ONLY, DENSE_ONLY, VIRIDIS, drawLayer };
})();

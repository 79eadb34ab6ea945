// The numbers of the cost-benefit analyser: pure functions on typed arrays, the same as calibrant.decisions.cost_benefit.
"use strict";
(() => {
  const ARRAYS = { f64: Float64Array, f32: Float32Array, u32: Uint32Array, i32: Int32Array, u16: Uint16Array, u8: Uint8Array };
  const SLACK = 1e-12; // of shares and profits, where rounding would decide
  const MOST_SKEWED = 0.1; // as in calibrant.metrics: beyond, the expansion does not rise with the level

  /** Return the bytes of a base64 text. */
  function bytes(text) {
    const raw = atob(text);
    const found = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) found[i] = raw.charCodeAt(i);
    return found;
  }

  /** Return the numbers of a packed array {type, data, scale, size}, or null. */
  function unpack(packed) {
    if (!packed) return null;
    const raw = bytes(packed.data);
    if (packed.type === "f64") return new Float64Array(raw.buffer);
    const values = new Float64Array(packed.size);
    if (packed.type === "bits") {
      for (let i = 0; i < values.length; i++) values[i] = (raw[i >> 3] >> (i & 7)) & 1;
    } else if (packed.type === "u24") {
      for (let i = 0; i < values.length; i++) {
        values[i] = (raw[3 * i] | (raw[3 * i + 1] << 8) | (raw[3 * i + 2] << 16)) / packed.scale;
      }
    } else {
      const codes = new ARRAYS[packed.type](raw.buffer);
      for (let i = 0; i < values.length; i++) values[i] = codes[i] / packed.scale;
    }
    return values;
  }

  /** Return the columns of rows; amounts are stored of positive rows only, or are what is expected of them. */
  function unpackRows(packed) {
    const label = unpack(packed.label);
    const expected = typeof packed.expected === "number" ? packed.expected : unpack(packed.expected);
    let amount = packed.amount === "expected" ? Float64Array.from(label, (_, i) => (typeof expected === "number" ? expected : expected[i])) : null;
    if (packed.amount && !amount) {
      const found = unpack(packed.amount);
      let next = 0;
      amount = Float64Array.from(label, (isPositive) => (isPositive ? found[next++] : 0));
    }
    return { label, expected, amount, weight: unpack(packed.weight), cost: unpack(packed.cost) };
  }

  /** Return the positions of scores in descending order, by a radix sort of their 64 bits, 16 at a time. */
  function rank(score) {
    const n = score.length;
    const words = new Uint32Array(new Float64Array(score).buffer);
    for (let i = 0; i < n; i++) {
      if (words[2 * i + 1] === 0x80000000 && words[2 * i] === 0) words[2 * i + 1] = 0; // -0 is 0
      const flip = words[2 * i + 1] >>> 31 ? 0 : 0xffffffff; // ascending codes are descending scores
      words[2 * i] ^= flip;
      words[2 * i + 1] ^= flip && 0x7fffffff;
    }
    let order = new Uint32Array(n);
    let next = new Uint32Array(n);
    for (let i = 0; i < n; i++) order[i] = i;
    const count = new Uint32Array(65537);
    for (let pass = 0; pass < 4; pass++) {
      const word = pass >> 1;
      const shift = 16 * (pass & 1);
      count.fill(0);
      for (let i = 0; i < n; i++) count[((words[2 * i + word] >>> shift) & 0xffff) + 1]++;
      if (n && count[((words[word] >>> shift) & 0xffff) + 1] === n) continue; // all alike
      for (let i = 0; i < 65536; i++) count[i + 1] += count[i];
      for (let i = 0; i < n; i++) {
        const row = order[i];
        next[count[(words[2 * row + word] >>> shift) & 0xffff]++] = row;
      }
      [order, next] = [next, order];
    }
    return order;
  }

  /**
   * Return the sums over the selected rows at every distinct score, from no row to all rows.
   *
   * rows: {label, weight, amount, cost}; amount and cost are the parts of the cells that differ by row, or null. Powers
   * 1 to 3 of these parts are summed over positive and over negative rows, for the profit and for its interval.
   */
  function cumulate(score, rows) {
    const n = score.length;
    const order = rank(score);
    const { label, weight, amount, cost } = rows;
    const hasParts = Boolean(amount || cost);
    const columns = Array.from({ length: hasParts ? 9 : 3 }, () => new Float64Array(n + 1));
    const [threshold, tp, fp, ...sums] = columns;
    threshold[0] = Infinity;
    const part = new Float64Array(6); // sums of the powers, of positive rows and of negative ones
    let [size, positive, negative, here] = [0, 0, 0, n ? score[order[0]] : 0];
    for (let i = 0; i < n; i++) {
      const row = order[i];
      const w = weight ? weight[row] : 1;
      const isPositive = label[row] === 1;
      if (isPositive) positive += w;
      else negative += w;
      if (hasParts) {
        const value = (isPositive && amount ? amount[row] : 0) - (cost ? cost[row] : 0);
        const first = isPositive ? 0 : 3;
        part[first] += w * value;
        part[first + 1] += w * value * value;
        part[first + 2] += w * value * value * value;
      }
      const next = i + 1 < n ? score[order[i + 1]] : NaN;
      if (next === here) continue; // tied rows are one step
      size++;
      threshold[size] = here;
      tp[size] = positive;
      fp[size] = negative;
      for (let k = 0; k < sums.length; k++) sums[k][size] = part[k];
      here = next;
    }
    const [t, p, f, ...parts] = columns.map((column) => column.subarray(0, size + 1));
    return complete({ threshold: t, tp: p, fp: f, parts });
  }

  /** Return a table that was stored: packed columns, the threshold without its first, which is infinite. */
  function unpackTable(packed) {
    const [threshold, tp, fp] = [packed.threshold, packed.tp, packed.fp].map(unpack);
    return complete({ threshold: Float64Array.of(Infinity, ...threshold), tp, fp, parts: packed.parts.map(unpack) });
  }

  /** Return a table with the shares of rows and of positives at each step. */
  function complete(table) {
    const { tp, fp } = table;
    const last = tp.length - 1;
    const fraction = new Float64Array(last + 1);
    const recall = new Float64Array(last + 1);
    for (let i = 0; i <= last; i++) {
      const fn = tp[last] - tp[i];
      fraction[i] = (tp[i] + fp[i]) / (tp[i] + fp[i] + fn + (fp[last] - fp[i]));
      recall[i] = tp[i] / (tp[i] + fn);
    }
    return { ...table, fraction, recall, last, positives: tp[last], negatives: fp[last], total: tp[last] + fp[last] };
  }

  /** Return the first index of an ascending array whose value is at least `wanted`. */
  function firstAtLeast(values, wanted) {
    let [low, high] = [0, values.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Return the position among the steps, possibly between two, where a share is first reached. */
  function positionOfShare(shares, wanted) {
    const after = firstAtLeast(shares, wanted - SLACK);
    if (after === 0) return 0;
    const last = shares.length - 1;
    const [before, here] = [shares[after - 1], shares[Math.min(after, last)]];
    const found = here > before ? Math.min(after, after - 1 + (wanted - before) / (here - before)) : after;
    return Math.min(found, last);
  }

  /** Return the position of a fraction, recall or threshold. */
  function locate(table, by, value) {
    if (by !== "threshold") return positionOfShare(table[by], value);
    let [low, high] = [0, table.last + 1]; // thresholds descend: the number of those that are at least the value
    while (low < high) {
      const middle = (low + high) >> 1;
      if (table.threshold[middle] >= value) low = middle + 1;
      else high = middle;
    }
    return Math.max(low - 1, 0);
  }

  /** Return a column at a position, interpolated between two steps where tied rows are partly selected. */
  function between(column, position) {
    const low = Math.floor(position);
    if (low === position) return column[low];
    return (column[low + 1] - column[low]) * (position - low) + column[low];
  }

  /** Return the total profit at every step. */
  function profits(table, cells) {
    const left = cells.fn * table.positives + cells.tn * table.negatives;
    const [byPositive, byNegative] = [cells.tp - cells.fn, cells.fp - cells.tn];
    const [a1, , , b1] = table.parts;
    const found = new Float64Array(table.last + 1);
    for (let i = 0; i < found.length; i++) {
      found[i] = left + byPositive * table.tp[i] + byNegative * table.fp[i] + (a1 ? a1[i] + b1[i] : 0);
    }
    return found;
  }

  /** Return the most profitable step, of several that with the fewest rows. */
  function best(profit, table, cells) {
    let top = 0;
    for (let i = 1; i < profit.length; i++) if (profit[i] > profit[top]) top = i;
    const scale = table.total * Math.max(...Object.values(cells).map(Math.abs)) + Math.abs(profit[top]);
    for (let i = 0; i < top; i++) if (profit[i] >= profit[top] - SLACK * scale) return i;
    return top;
  }

  /** Return the sums of the first three powers of what the rows earn at a position. */
  function powers(table, cells, position) {
    const at = (column) => between(column, position);
    const [tp, fp] = [at(table.tp), at(table.fp)];
    const [a1, a2, a3, b1, b2, b3] = table.parts.map(at);
    const ofCell = (cell, n, s1 = 0, s2 = 0, s3 = 0) => [
      n * cell + s1,
      n * cell ** 2 + 2 * cell * s1 + s2,
      n * cell ** 3 + 3 * cell ** 2 * s1 + 3 * cell * s2 + s3,
    ];
    const all = [
      ofCell(cells.tp, tp, a1, a2, a3),
      ofCell(cells.fp, fp, b1, b2, b3),
      ofCell(cells.fn, table.positives - tp),
      ofCell(cells.tn, table.negatives - fp),
    ];
    return [0, 1, 2].map((k) => all.reduce((sum, of) => sum + of[k], 0));
  }

  /** Return the BCa interval of a sum from the sums of the first three powers (calibrant.metrics: mean_interval). */
  function interval(sums, total, z, designEffect) {
    const [mean, square, cube] = sums.map((sum) => sum / total);
    const variance = Math.max(square - mean ** 2, 0);
    if (variance <= SLACK * square) return [total * mean, total * mean];
    const n = total / designEffect;
    const skewness = (cube - 3 * mean * square + 2 * mean ** 3) / variance ** 1.5;
    const sixth = Math.min(Math.max(skewness / (6 * Math.sqrt(n)), -MOST_SKEWED), MOST_SKEWED);
    return [-z, z].map((end) => {
      const level = sixth + (sixth + end) / (1 - sixth * (sixth + end));
      return total * (mean + Math.sqrt(variance / n) * (level + sixth * (level ** 2 - 1)));
    });
  }

  /** Return the weight of rows that counts as one independent row at a share of selected rows (report/_analyser). */
  function designEffect(clusters, cells, fraction) {
    if (!clusters) return 1;
    const terms = [cells.tp, cells.fp, cells.fn, cells.tn, 1];
    const last = clusters.alone.length - 1;
    const position = Math.min(Math.max(fraction, 0), 1) * last;
    const variance = (matrices) => {
      const at = (step) => {
        const size = Math.round(Math.sqrt(matrices[step].length));
        return matrices[step].reduce((sum, value, i) => sum + value * terms[Math.floor(i / size)] * terms[i % size], 0);
      };
      const low = Math.floor(position);
      return at(low) + (position - low) * (at(Math.min(low + 1, last)) - at(low));
    };
    const alone = variance(clusters.alone);
    return alone > 0 ? Math.max(clusters.least, variance(clusters.together) / alone) : 1;
  }

  /** Return counts and profit at a position, as CostBenefitPoint. */
  function at(table, profit, position) {
    const value = (column) => between(column, position);
    const [tp, fp, fraction] = [value(table.tp), value(table.fp), value(table.fraction)];
    const [none, all] = [profit[0], profit[table.last]];
    const earned = value(profit);
    const random = none + fraction * (all - none);
    return {
      position,
      threshold: table.threshold[Math.ceil(position)],
      fraction,
      recall: tp / table.positives,
      tp,
      fp,
      fn: table.positives - tp,
      tn: table.negatives - fp,
      selected: tp + fp,
      profit: earned,
      random,
      gain: earned - random,
    };
  }

  /** Return the expected gain of selecting each row: p (TP - FN) + (1 - p) (FP - TN), with the parts by row. */
  function expectedGains(proba, rows, cells) {
    const always = cells.fp - cells.tn;
    const ifPositive = cells.tp - cells.fp - (cells.fn - cells.tn);
    const found = new Float64Array(proba.length);
    for (let i = 0; i < found.length; i++) {
      const expected = typeof rows.expected === "number" ? rows.expected : rows.expected[i];
      found[i] = always - (rows.cost ? rows.cost[i] : 0) + proba[i] * (ifPositive + expected);
    }
    return found;
  }

  /**
   * Return what deciding by recalibrated probabilities would have earned in excess of deciding by the present ones.
   *
   * shown: whether it exceeds what chance gives calibrated probabilities (Cornish & Fisher 1938, as
   * calibrant.decisions does) and the interval of the difference starts above 0.
   */
  function recalibration(proba, again, rows, cells, z, designEffect, selectsTies) {
    const isSelected = selectsTies ? (gain) => gain >= 0 : (gain) => gain > 0;
    const [before, after] = [proba, again].map((p) => expectedGains(p, rows, cells));
    const sums = [0, 0, 0];
    let [total, mean, variance, third, changed] = [0, 0, 0, 0, 0];
    for (let i = 0; i < before.length; i++) {
      const weight = rows.weight ? rows.weight[i] : 1;
      total += weight;
      if (isSelected(before[i]) === isSelected(after[i])) continue;
      changed += weight;
      const sign = isSelected(after[i]) ? 1 : -1;
      const cost = rows.cost ? rows.cost[i] : 0;
      const expected = typeof rows.expected === "number" ? rows.expected : rows.expected[i];
      const ofNegative = sign * (cells.fp - cells.tn - cost);
      const ofPositive = sign * (cells.tp - cells.fn - cost + expected);
      const found = rows.label[i] === 1 ? sign * (cells.tp - cells.fn - cost + (rows.amount ? rows.amount[i] : 0)) : ofNegative;
      for (let k = 0; k < 3; k++) sums[k] += weight * found ** (k + 1);
      const centre = proba[i] * ofPositive + (1 - proba[i]) * ofNegative;
      mean += weight * centre;
      variance += weight * (proba[i] * (ofPositive - centre) ** 2 + (1 - proba[i]) * (ofNegative - centre) ** 2);
      third += weight * (proba[i] * (ofPositive - centre) ** 3 + (1 - proba[i]) * (ofNegative - centre) ** 3);
    }
    const spread = Math.sqrt(variance * designEffect);
    const skewness = spread > 0 ? third / spread ** 3 : 0;
    const byChance = mean + spread * (z + ((z ** 2 - 1) * skewness) / 6);
    const [low] = interval(sums, total, z, designEffect);
    return { value: sums[0], changed: changed / total, shown: changed > 0 && sums[0] > byChance && low > 0 };
  }

  globalThis.calibrant = globalThis.calibrant || {};
  globalThis.calibrant.numbers = {
    unpack, unpackRows, unpackTable, rank, cumulate, complete, locate, profits, best, at, powers, interval, designEffect, expectedGains, recalibration,
  };
})();

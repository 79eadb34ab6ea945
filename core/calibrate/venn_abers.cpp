#include "calibrate/venn_abers.hpp"

#include <cstddef>
#include <vector>

namespace calibrant {
namespace {

struct Point {
    double x;
    double y;
};

// Where the path from a to c via b turns: above 0 to the left, so that b lies below the line from a to c.
double turn(Point a, Point b, Point c) { return (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x); }

// The corners of the greatest convex minorant to the right of the object, the leftmost on top.
class Corners {
  public:
    explicit Corners(std::size_t n) { stack_.reserve(n); }

    void push(Point point) {
        while (stack_.size() > 1 && turn(point, stack_.back(), stack_[stack_.size() - 2]) <= 0) stack_.pop_back();
        stack_.push_back(point);
    }

    // A point that comes to lie at or above the minorant changes nothing.
    void lower(Point point) {
        if (turn(stack_.back(), point, next()) <= 0) return;
        stack_.pop_back();
        push(point);
    }

    Point step() const { return {next().x - stack_.back().x, next().y - stack_.back().y}; }

  private:
    Point next() const { return stack_[stack_.size() - 2]; }

    std::vector<Point> stack_;
};

// Cumulative sums before each position, and after the last.
std::vector<Point> sums(const PooledScores& pooled) {
    std::vector<Point> points(pooled.weight.size() + 1, Point{0, 0});
    for (std::size_t i = 0; i < pooled.weight.size(); ++i)
        points[i + 1] = {points[i].x + pooled.weight[i], points[i].y + pooled.positive[i]};
    return points;
}

// The step of the minorant at a positive object of weight 1, at each position: its slope is the value of the regression
// there. The object stays at the origin and the scores it has passed move back by (1, 1).
std::vector<Point> steps(const PooledScores& pooled) {
    const std::vector<Point> points = sums(pooled);
    Corners corners(points.size() + 1);
    for (std::size_t i = points.size(); i-- > 0;) corners.push(points[i]);
    corners.push({-1, -1});
    std::vector<Point> found{corners.step()};
    found.reserve(points.size());
    for (std::size_t i = 1; i < points.size(); ++i) {
        corners.lower({points[i].x - 1, points[i].y - 1});
        found.push_back(corners.step());
    }
    return found;
}

}  // namespace

void venn_abers(const PooledScores& pooled, const VennAbersPairs& pairs) {
    const std::size_t n = pooled.weight.size();
    const std::vector<Point> rising = steps(pooled);
    for (std::size_t i = 0; i <= n; ++i) pairs.if_positive[i] = rising[i].y / rising[i].x;

    // A negative object among rising scores is a positive one among falling scores with the classes exchanged.
    std::vector<double> weight(pooled.weight.rbegin(), pooled.weight.rend()), negative(n);
    for (std::size_t i = 0; i < n; ++i) negative[i] = weight[i] - pooled.positive[n - 1 - i];
    const std::vector<Point> falling = steps({weight, negative});
    for (std::size_t i = 0; i <= n; ++i)
        pairs.if_negative[i] = (falling[n - i].x - falling[n - i].y) / falling[n - i].x;
}

}  // namespace calibrant
